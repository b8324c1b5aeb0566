/** The JSON pointer (RFC 6901) to a member of the value at `path`. */
export function pointer(path: string, key: string | number): string {
  return `${path}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
