import { playOnTheEmbeddedServer } from './on-the-embedded-server.ts'

playOnTheEmbeddedServer(['policy-sync'])
