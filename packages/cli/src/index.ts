export type { CommandHost, ExitStatus, Output } from './host.ts'
export { runCommand } from './run.ts'
