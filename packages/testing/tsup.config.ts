import type { Options } from 'tsup'
import { packageBuild } from '../../tools/tsup.ts'

const build = packageBuild()

/** What users import, and the program of an isolated server's process, which they do not. */
const config: Options = {
  ...build,
  entry: [...(build.entry as string[]), 'src/apiserver/isolated/child.ts'],
  dts: { entry: build.entry as string[] },
}

export default config
