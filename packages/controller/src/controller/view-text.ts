/**
 * A view's key for people. Projections that Wherry makes for itself have long names; it says what they keep instead. All other keys stay as they
 * are, so that they can be searched for.
 */
export function viewText(key: string): string {
  const own = /[?&]projection=applied(-status)?:([^/&]*)(?:\/[^&]*)?/.exec(key)
  if (own === null) return key
  const rest = `${key.slice(0, own.index)}${key.slice(own.index + own[0].length).replace(/^&/, own[0].startsWith('?') ? '?' : '&')}`
  return `${rest} (${own[1] === undefined ? 'what' : 'the status that'} ${own[2]} applied)`
}
