import type { ViteUserConfig } from 'vitest/config'
import { packageTests } from '../../tools/vitest/package.ts'

const config: ViteUserConfig = packageTests(import.meta.dirname)

export default config
