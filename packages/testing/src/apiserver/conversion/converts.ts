import type { Conversion } from './conversion.ts'

/** How objects of a resource get from version to version: by a definition's webhook, or as built-ins do. */
export type Converts = Pick<
  Conversion,
  'lacks' | 'prepare' | 'prepareList' | 'fetch' | 'view' | 'object' | 'unchanged' | 'stored' | 'remember'
>
