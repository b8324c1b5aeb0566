import type { Filling } from '../game/objects.ts'
import type { Played } from '../game/play.ts'

/** A game that was played: all that the reports are made of. */
export interface Game {
  /** The API server, in words. */
  readonly server: string
  /** The machine, in words. */
  readonly machine: string
  readonly filling: Filling
  readonly neededBytes: number
  readonly seconds: number
  readonly played: readonly Played[]
}

/** The median; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

/** Bytes for people: `482 MB`, `3.4 KB`, `0`. */
export function bytes(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e8 ? 0 : 1)} MB`
  return size >= 1000 ? `${(value / 1000).toFixed(1)} KB` : `${value} B`
}

/** Milliseconds for people: `25 s`, `1.40 s`, `57 ms`; `-` for what was not measured. */
export function time(ms: number): string {
  if (!Number.isFinite(ms)) return '-'
  return ms >= 1000 ? `${(ms / 1000).toFixed(ms >= 10_000 ? 0 : 2)} s` : `${Math.round(ms)} ms`
}
