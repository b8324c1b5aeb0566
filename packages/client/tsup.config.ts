import type { Options } from 'tsup'

const config: Options = {
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'node22',
  platform: 'node',
  dts: true,
  clean: true,
  treeshake: true,
}

export default config
