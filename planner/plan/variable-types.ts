// SPDX-License-Identifier: Apache-2.0
import type { SqlType } from '../../storage/values/values.ts'

/** Of what earlier statements of the request have read INTO names; undefined for a parameter of the client. */
export type VariableTypes = { typeOf(key: string | number): SqlType | undefined }

/** The statement with the types of such names where they stand as parameters; parts without any are the same object. */
export function withVariableTypes<Node>(node: Node, variables: VariableTypes): Node {
  if (node === null || typeof node !== 'object' || node instanceof Uint8Array) return node
  if (Array.isArray(node)) {
    const items = node.map((item) => withVariableTypes(item, variables))
    return items.some((item, index) => item !== node[index]) ? (items as Node) : node
  }
  const own = Object.entries(node).map(([name, part]) => {
    return [name, withVariableTypes(part, variables), part] as const
  })
  const isChanged = own.some(([, made, part]) => made !== part)
  const copy = isChanged ? Object.fromEntries(own.map(([name, made]) => [name, made])) : node
  return withOwnType(copy as Node & object, variables)
}

function withOwnType<Node extends object>(node: Node, variables: VariableTypes): Node {
  const { kind, key } = node as { readonly kind?: unknown; readonly key?: unknown }
  if (kind !== 'parameter' || typeof key !== 'string') return node
  const readType = variables.typeOf(key)
  return readType === undefined ? node : { ...node, readType }
}
