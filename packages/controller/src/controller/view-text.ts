/**
 * A view's key for people. Wherry's own projections have long names, so the text says what they keep. All other keys stay
 * unchanged, so that they can be searched for.
 */
export function viewText(key: string): string {
  const own = /[?&]projection=applied(-status)?:([^/&]*)(?:\/[^&]*)?/.exec(key)
  if (own === null) return key
  const rest = `${key.slice(0, own.index)}${key.slice(own.index + own[0].length).replace(/^&/, own[0].startsWith('?') ? '?' : '&')}`
  return `${rest} (${own[1] === undefined ? 'what' : 'the status that'} ${own[2]} applied)`
}
