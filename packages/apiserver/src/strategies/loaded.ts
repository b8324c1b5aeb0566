import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Others from './others.ts'

let loaded: typeof Others | undefined

/** The strategies of resources that few clients write. They are loaded synchronously, because a simulated clock could not wait for them. */
export function otherStrategies(): typeof Others.otherStrategies {
  loaded ??= createRequire(import.meta.url)(entry()) as typeof Others
  return loaded.otherStrategies
}

/** The path of the source in this folder, or of a file of its own in the built package. */
function entry(): string {
  const here = import.meta.url
  return fileURLToPath(new URL(here.endsWith('.ts') ? './others.ts' : './strategies/others.js', here))
}
