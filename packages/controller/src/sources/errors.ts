/** Something was sent by a channel that no controller hears (any more): it is lost. */
export class ChannelNotConnectedError extends Error {
  override readonly name = 'ChannelNotConnectedError'
  readonly code = 'CHANNEL_NOT_CONNECTED'
  readonly channel: string

  constructor(channel: string) {
    super(`no controller hears the channel ${channel}: none has started, or all have stopped`)
    this.channel = channel
  }
}

/** A source that serves one controller at a time was connected to another. */
export class SourceTakenError extends Error {
  override readonly name = 'SourceTakenError'
  readonly code = 'SOURCE_TAKEN'
  readonly source: string

  constructor(source: string) {
    super(`the source ${source} serves another controller: make one for each`)
    this.source = source
  }
}
