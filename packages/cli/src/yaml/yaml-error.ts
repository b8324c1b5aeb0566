import { oneLine } from '../one-line.ts'

/** A text that is no YAML, or that kubectl refuses. The message is one line. */
export class YamlError extends Error {
  override readonly name = 'YamlError'

  constructor(message: string) {
    super(oneLine(message))
  }
}
