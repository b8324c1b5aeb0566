/** Compiled, never run: the client's seams and those of `@wherry/testing` have one shape. */
import type * as testing from '@wherry/testing'
import type { Clock, Timer } from './clock.ts'
import type { Environment, ErrorContext, Metrics, WarningContext } from './environment.ts'
import type {
  Connection,
  Exchange,
  RawSocket,
  RequestHead,
  ResponseHandlers,
  ResponseHeaders,
  Transport,
} from './transport.ts'

type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

same<Clock, testing.Clock>(true)
same<Timer, testing.Timer>(true)
same<Environment, testing.Environment>(true)
same<ErrorContext, testing.ErrorContext>(true)
same<Metrics, testing.Metrics>(true)
same<WarningContext, testing.WarningContext>(true)
same<Transport, testing.Transport>(true)
same<Connection, testing.Connection>(true)
same<RawSocket, testing.RawSocket>(true)
same<Exchange, testing.Exchange>(true)
same<RequestHead, testing.RequestHead>(true)
same<ResponseHandlers, testing.ResponseHandlers>(true)
same<ResponseHeaders, testing.ResponseHeaders>(true)
