# Arrays, associative arrays, strings, subshells, pipes and here-documents.
declare -A count
declare -a words
for ((i = 0; i < 6000; i++)); do
  word="w$((i * 7919 % 1013))"
  words+=("$word-$i")
  count[$word]=$((${count[$word]:-0} + i))
  if ((i % 5 == 0)); then unset "words[$((i / 2))]"; fi
done
echo "words ${#words[@]} names ${#count[@]}"
sum=0
for word in "${!count[@]}"; do sum=$((sum + count[$word])); done
echo "sum $sum"
text=""
for ((i = 0; i < 1500; i++)); do text+="${words[i]:-none} "; done
echo "text ${#text} ${text//w1/x} " | md5sum
for ((i = 0; i < 40; i++)); do
  made=$(printf '%s\n' "${words[@]:i:50}" | while read -r line; do echo "${line^^}"; done | tail -n 1)
  echo "$i $made"
done
cat <<END
here ${words[10]} ${words[100]/w/v}
END
f() { local depth=$1; if ((depth > 0)); then f $((depth - 1)) "$@"; else echo "$#"; fi; }
f 60
wait
echo done
