import { join } from 'node:path'
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import { packageTests } from '../../tools/vitest/package.ts'

const src = join(import.meta.dirname, 'src')

/** `WHERRY_NARROW=next`: the suites run on the cache in `src/next`. */
const next: ViteUserConfig = {
  plugins: [
    {
      name: 'narrow-next',
      enforce: 'pre',
      resolveId: (id, importer) =>
        /^\.\.?\/narrow-cache\.ts$/.test(id) && importer?.startsWith(src) && !importer.includes('/next/')
          ? join(src, 'next/narrow-cache.ts')
          : undefined,
    },
  ],
}

const tests: ViteUserConfig = packageTests(import.meta.dirname)
const config: ViteUserConfig = process.env.WHERRY_NARROW === 'next' ? mergeConfig(tests, next) : tests

export default config
