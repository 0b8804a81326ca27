import { createApp } from './app.ts'

// npm start, after npm run build: the app of a deployment. The database is another process.

const app = await createApp()
await app.listen({ port: Number(process.env.PORT ?? 3000), host: process.env.HOST ?? '127.0.0.1' })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())
