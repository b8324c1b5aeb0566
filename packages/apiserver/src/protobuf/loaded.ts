import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Protobuf from './index.ts'

let loaded: typeof Protobuf | undefined

/** The codec of protobuf. It is loaded synchronously at the first request that needs it, because a simulated clock could not wait for it. */
export function protobufCodec(): typeof Protobuf {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Protobuf
  return loaded
}

/** The source in this folder; in the built package a file of its own. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? './index.ts' : './protobuf/index.js', here))
}
