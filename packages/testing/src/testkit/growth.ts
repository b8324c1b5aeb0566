/** Processor time of `work`, in microseconds: what other processes do meanwhile does not count. */
function cost(work: () => void): number {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

/**
 * How many times the processor time of `work(small)` the time of `work(large)` is, each the least of three tries.
 *
 * For tests that work does not grow with the square of its input. They compare with a bound far above what linear work gives
 * and far below what its square would: sizes forty times apart give 40 or 1,600, and the bound is 250. A processor that others slow down at the
 * wrong moment makes it several times as much.
 */
export function growth([small, large]: readonly [number, number], work: (size: number) => void): number {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number]
  for (let time = 0; time < 3; time++) {
    least[0] = Math.min(
      least[0],
      cost(() => work(small)),
    )
    least[1] = Math.min(
      least[1],
      cost(() => work(large)),
    )
  }
  return least[1] / least[0]
}
