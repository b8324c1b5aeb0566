import { others } from './long.ts'
import { playOnTheEmbeddedServer } from './on-the-embedded-server.ts'

playOnTheEmbeddedServer(others)
