import { CommandFailure } from './failure.ts'

/** Files are not current. */
export class StaleFiles extends CommandFailure {
  /** @param args the arguments of the command that writes the files */
  constructor(args: readonly string[]) {
    super(`files are not current; this command renews them: ${['wherry', ...args].map(quoted).join(' ')}`, 1)
  }
}

/** An argument quoted for a shell. */
function quoted(argument: string): string {
  return /^[\w./:=@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
