// Threads that allocate on and off the heap: direct buffers, native zlib, class loading by proxies, collections.
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Threads {
    static final Map<String, Integer> shared = new ConcurrentHashMap<>();

    record Draw(long state) {
        Draw next() { return new Draw(state * 6364136223846793005L + 1442695040888963407L); }
        int below(int n) { return (int) ((state >>> 33) % n); }
    }

    // Buffers outside the heap, each freed by its cleaner once nothing refers to it.
    static long direct(int seed) {
        List<ByteBuffer> kept = new ArrayList<>();
        Draw draw = new Draw(seed);
        long sum = 0;
        for (int i = 0; i < 1500; i++) {
            draw = draw.next();
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 + draw.below(60_000));
            for (int at = 0; at < buffer.capacity(); at += 97) buffer.put(at, (byte) (i + at));
            kept.add(buffer);
            if (kept.size() > 40) {
                ByteBuffer old = kept.remove(draw.next().below(kept.size()));
                CRC32 crc = new CRC32();
                crc.update(old);
                sum += crc.getValue();
            }
        }
        return sum;
    }

    static long zipped(int seed) throws Exception {
        long sum = 0;
        for (int i = 0; i < 60; i++) {
            byte[] text = ("seed " + seed + " round " + i + " ").repeat(400).getBytes(StandardCharsets.UTF_8);
            Deflater deflater = new Deflater(i % 10);
            deflater.setInput(text);
            deflater.finish();
            byte[] packed = new byte[text.length + 100];
            int length = deflater.deflate(packed);
            Inflater inflater = new Inflater();
            inflater.setInput(packed, 0, length);
            byte[] back = new byte[text.length];
            if (inflater.inflate(back) != text.length || !java.util.Arrays.equals(back, text)) throw new Exception("zlib");
            if (i % 3 != 0) {
                deflater.end();
                inflater.end();
            }
            sum += length;
        }
        return sum;
    }

    static long counted(int seed) {
        Draw draw = new Draw(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            draw = draw.next();
            shared.merge("key " + draw.below(3000), 1, Integer::sum);
            text.append(draw.below(100));
        }
        return text.toString().hashCode();
    }

    @SuppressWarnings("unchecked")
    static long proxied(int seed) {
        Function<Integer, Integer> twice = (Function<Integer, Integer>) Proxy.newProxyInstance(
            Threads.class.getClassLoader(), new Class<?>[] {Function.class}, (proxy, method, args) -> 2 * (Integer) args[0]);
        return IntStream.range(0, 5000).mapToLong(i -> twice.apply(i + seed)).sum();
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(6);
        List<Future<String>> answers = new ArrayList<>();
        for (int n = 0; n < 12; n++) {
            int seed = n;
            answers.add(pool.submit(() -> direct(seed) + " " + zipped(seed) + " " + counted(seed) + " " + proxied(seed)));
        }
        for (Future<String> answer : answers) System.out.println(answer.get());
        pool.shutdown();
        System.out.println(new TreeMap<>(shared).toString().hashCode());
        // Many short threads: each has a stack, an arena and thread-local caches that go with it.
        for (int wave = 0; wave < 10; wave++) {
            List<Thread> threads = new ArrayList<>();
            for (int n = 0; n < 40; n++) {
                int seed = n;
                Thread thread = new Thread(() -> ByteBuffer.allocateDirect(1000 * (seed + 1)).put(0, (byte) seed));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) thread.join();
        }
        System.gc();
        Map<Integer, Long> lengths = IntStream.range(0, 50_000).parallel().mapToObj(Integer::toString)
            .collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.counting()));
        System.out.println(lengths);
        Process child = new ProcessBuilder("/bin/echo", "a child").redirectErrorStream(true).start();
        System.out.print(new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        System.out.println("ended " + child.waitFor());
    }
}
