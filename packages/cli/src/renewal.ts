/** What a command says of files that are not current. */
export function renewal(args: readonly string[]): string {
  return `files are not current; this command renews them: ${['wherry', ...args].map(quoted).join(' ')}`
}

/** An argument as a shell reads it. */
function quoted(argument: string): string {
  return /^[\w./:=@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
