export type { CommandHost, ExitStatus, Output } from './host.ts'
export { processHost } from './host.ts'
export { runCommand } from './run.ts'
