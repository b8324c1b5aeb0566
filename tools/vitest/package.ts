import { relative } from 'node:path'
import { mergeConfig, type ViteUserConfig } from 'vitest/config'
import { repository } from './aliases.ts'
import { base } from './base.ts'

/** The root's configuration for the tests of one package, so that `vitest` run in its folder runs its own alone. */
export function packageTests(folder: string): ViteUserConfig {
  const include = [`${relative(repository, folder)}/src/**/*.test.ts`]
  return mergeConfig(base, { test: { include } })
}
