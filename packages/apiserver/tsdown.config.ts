import type { UserConfig } from 'tsdown'
import { packageBuild } from '../../tools/tsdown.ts'

/** What users import, and what they do not: the program of an isolated server's process, OpenAPI, and protobuf. */
const config: UserConfig = packageBuild('src/isolated/child.ts', 'src/openapi/index.ts', 'src/protobuf/index.ts')

export default config
