export { decodeProtobuf } from './decode.ts'
export { encodeList, encodeMessage, encodeObject, encodeWatchEvent, messageNameOf } from './encode.ts'
export { ProtobufError } from './reader.ts'
