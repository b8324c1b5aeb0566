import type { MigrationProgress } from '../progress.ts'

/** A destination for text. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/** Text from the server without control characters, so that it can be printed to a terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}

/** Shows progress: on a terminal by a line that changes, otherwise by a line for each page. */
export class ProgressLine {
  readonly #output: Output
  #open = false

  constructor(output: Output) {
    this.#output = output
  }

  show(progress: MigrationProgress): void {
    const line = progressText(progress)
    if (this.#output.isTTY !== true) {
      this.#output.write(`${line}\n`)
      return
    }
    this.#output.write(`\r\u001b[K${bar(progress)} ${line}`)
    this.#open = true
  }

  /** Ends the line that changes, so that other text can follow. */
  end(): void {
    if (this.#open) this.#output.write('\n')
    this.#open = false
  }
}

/** `games.arcade.example.com to v2: 500 of 2000, 3 failed, 120/s, 13 s left`. */
export function progressText(progress: MigrationProgress): string {
  const { definition, storageVersion, total, counts, failed, elapsedMs, resumedAt } = progress
  const rate = elapsedMs > 0 ? ((counts.listed - resumedAt) * 1000) / elapsedMs : 0
  const left = total === undefined ? 0 : total - counts.listed
  const parts = [
    `${definition} to ${storageVersion}: ${counts.listed} of ${total ?? '?'}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(rate > 0 ? [`${Math.round(rate)}/s`] : []),
    ...(rate > 0 && left > 0 ? [`${durationText(left / rate)} left`] : []),
  ]
  return parts.join(', ')
}

const barWidth = 20

function bar({ total, counts }: MigrationProgress): string {
  const part = total === undefined ? 0 : total === 0 ? 1 : Math.min(1, counts.listed / total)
  const done = Math.round(part * barWidth)
  return `[${'='.repeat(done)}${' '.repeat(barWidth - done)}]`
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
