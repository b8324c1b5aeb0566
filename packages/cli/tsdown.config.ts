import type { UserConfig } from 'tsdown'
import { packageBuild } from '../../tools/tsdown.ts'

const config: UserConfig = packageBuild('src/bin.ts', 'src/dev/inside.ts')

export default config
