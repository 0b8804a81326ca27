// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from 'selfsigned'

export type TestCertificate = {
  /** For those who are to trust it. */
  readonly pem: string
  readonly certificatePath: string
  readonly keyPath: string
}

/** Writes a certificate of `localhost` and an address for a day, and its key, into the folder. */
export async function writeCertificate(
  folder: string,
  address = '127.0.0.1',
): Promise<TestCertificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: address },
        ],
      },
    ],
  })
  const [certificatePath, keyPath] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  await writeFile(keyPath, key, { mode: 0o600 })
  await writeFile(certificatePath, cert)
  return { pem: cert, certificatePath, keyPath }
}
