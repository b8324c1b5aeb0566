export type { RecorderOptions } from './testing/recorder.ts'
export { Recorder } from './testing/recorder.ts'
export type { Contents, SinkCheck, SinkChecksOptions, SinkSubject } from './testing/sink-checks.ts'
export { sinkChecks } from './testing/sink-checks.ts'
