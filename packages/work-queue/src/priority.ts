/**
 * Priorities to begin with; any finite number is one. `low` is what controller-runtime gives to the
 * initial list and to resyncs, so that what changes now does not wait behind them.
 */
export const Priority: { readonly low: -100; readonly normal: 0; readonly high: 100 } = {
  low: -100,
  normal: 0,
  high: 100,
}
