import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Protobuf from './index.ts'

let loaded: typeof Protobuf | undefined

/** The codec of protobuf. It is loaded synchronously at the first request that needs it, because a simulated clock could not wait for it. */
export function protobufCodec(): typeof Protobuf {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Protobuf
  return loaded
}

/** The path of the source in this folder, or of a file of its own in the built package. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? './index.ts' : './protobuf/index.js', here))
}
