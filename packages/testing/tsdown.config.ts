import type { UserConfig } from 'tsdown'
import { packageBuild } from '../../tools/tsdown.ts'

/** What users import, and the program of an isolated server's process, which they do not. */
const config: UserConfig = packageBuild('src/apiserver/isolated/child.ts')

export default config
