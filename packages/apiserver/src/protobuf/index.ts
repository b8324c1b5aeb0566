export { decodeProtobuf } from './decode.ts'
export { ProtobufError } from './reader.ts'
