import type { Causes } from './causes.ts'

/** Checks a path within a volume. */
export function checkInnerPath(field: string, path: string, causes: Causes): void {
  if (path.startsWith('/')) causes.invalid(field, path, 'must be a relative path')
  checkNoBacksteps(field, path, causes)
}

export function checkNoBacksteps(field: string, path: string, causes: Causes): void {
  if (path.split('/').includes('..')) causes.invalid(field, path, "must not contain '..'")
}

/** Checks the path of a file in a volume of a Secret or a ConfigMap. */
export function checkFilePath(field: string, path: string, causes: Causes): void {
  checkInnerPath(field, path, causes)
  if (path.startsWith('..') && !path.startsWith('../')) causes.invalid(field, path, "must not start with '..'")
}
