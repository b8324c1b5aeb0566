import type { Options } from 'tsup'
import { packageBuild } from '../../tools/tsup.ts'

const config: Options = packageBuild()

export default config
