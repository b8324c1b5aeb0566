/** Games of a kilobyte. */
export function* gameSource(count: number): Iterable<object> {
  const board = 'x'.repeat(700)
  for (let i = 0; i < count; i++) {
    const metadata = {
      name: `game-${String(i).padStart(6, '0')}`,
      namespace: 'default',
      labels: { shard: `${i % 10}` },
    }
    yield { apiVersion: 'bench.example.com/v1', kind: 'Game', metadata, spec: { players: i, board } }
  }
}
