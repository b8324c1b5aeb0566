/** Parts of a kilobyte, of so many kinds in turns. */
export function* partSource(batch: string, count: number, kinds: number): Iterable<object> {
  const text = 'x'.repeat(700)
  for (let i = 0; i < count; i++) {
    const metadata = { name: `${batch}-${i}`, namespace: 'default', labels: { owner: 'bench' } }
    yield { apiVersion: 'bench.example.com/v1', kind: `Part${i % kinds}`, metadata, spec: { number: i, text } }
  }
}
