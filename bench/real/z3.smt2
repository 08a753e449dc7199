; Two questions, neither of which is answered soon. The program is given a limit of its own steps (`rlimit`): for the first
; on the command line, for the second here, as its time grows faster than its steps. So every allocator's run does the same
; work; that the program says "unknown" in the end does not matter.

; A product of two factors: bit vectors, turned into clauses and searched.
(push)
(declare-const a (_ BitVec 56))
(declare-const b (_ BitVec 56))
(assert (= (bvmul a b) #x7bc1fe8d4a7bc1))
(assert (bvugt a #x00000000000001))
(assert (bvult a #x00000010000000))
(assert (bvult b #x00000010000000))
(check-sat)
(pop)

; An operation without an end of new terms: quantifiers, matched against all terms there are.
(set-option :rlimit 450000)
(push)
(declare-sort T)
(declare-fun op (T T) T)
(declare-fun inverse (T) T)
(declare-const unit T)
(declare-const p T)
(declare-const q T)
(assert (forall ((x T) (y T) (z T)) (! (= (op (op x y) z) (op x (op y z))) :pattern ((op (op x y) z)))))
(assert (forall ((x T)) (! (= (op x (inverse x)) unit) :pattern ((inverse x)))))
(assert (forall ((x T)) (! (= (op unit x) x) :pattern ((op unit x)))))
(assert (forall ((x T) (y T)) (! (= (inverse (op x y)) (op (inverse y) (inverse x))) :pattern ((inverse (op x y))))))
(assert (forall ((x T) (y T)) (! (= (op x (op y (op x y))) (op (inverse y) (op x x))) :pattern ((op x y)))))
(assert (not (= (op p q) (op (inverse q) (inverse p)))))
(check-sat)
(pop)
