import { spawnSync } from 'node:child_process'
import { bin } from './test/command.ts'

/** `npm run lint [-- PATHS]`: formats and lints, and mends what can be mended. */
const paths = process.argv.slice(2)
const { status } = spawnSync(bin('biome'), ['check', '--write', ...paths], { stdio: 'inherit' })
process.exitCode = status ?? 1
