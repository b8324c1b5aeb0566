import type { Options } from 'tsup'
import { packageBuild } from '../../tools/tsup.ts'

const build = packageBuild()

const config: Options = { ...build, entry: [...(build.entry as string[]), 'src/bin.ts'] }

export default config
