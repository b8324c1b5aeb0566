/** The processor time of `work`, in microseconds. The time of other processes does not count. */
function cost(work: () => void): number {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

/**
 * The processor time of `work(large)` divided by that of `work(small)`, each the least of three tries.
 *
 * For tests that work does not grow with the square of its input. They use a bound far above the result of linear work, and far
 * below that of quadratic work: sizes forty times apart give 40 or 1,600, and the bound is 250. If other processes slow the processor down at
 * the wrong moment, the result is several times as high.
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
