/** The cache does not have the view, nor a view that covers it. */
export class ViewNotCachedError extends Error {
  override readonly name = 'ViewNotCachedError'
  readonly code = 'VIEW_NOT_CACHED'
  /** The view's key. */
  readonly view: string

  constructor(view: string, cached: readonly string[]) {
    super(
      `${view} is none of the views of this cache (${cached.join(', ')}): name it among its views, or cache it elsewhere`,
    )
    this.view = view
  }
}
