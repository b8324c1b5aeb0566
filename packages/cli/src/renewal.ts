import { CommandFailure } from './failure.ts'
import { shellWord } from './shell-word.ts'

/** Files are not current. */
export class StaleFiles extends CommandFailure {
  /** @param args the arguments of the command that writes the files */
  constructor(args: readonly string[]) {
    super(`files are not current; this command renews them: ${['wherry', ...args].map(shellWord).join(' ')}`, 1)
  }
}
