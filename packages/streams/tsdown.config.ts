import type { UserConfig } from 'tsdown'
import { packageBuild } from '../../tools/tsdown.ts'

const config: UserConfig = packageBuild()

export default config
