export type { RecordingSinkOptions } from './testing/recording-sink.ts'
export { RecordingSink } from './testing/recording-sink.ts'
export type { Contents, SinkCheck, SinkChecksOptions, SinkSubject } from './testing/sink-checks.ts'
export { sinkChecks } from './testing/sink-checks.ts'
