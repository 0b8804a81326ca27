// SPDX-License-Identifier: Apache-2.0

// The calls and messages of etcd's API (version 3, `api/etcdserverpb/rpc.proto` and `api/mvccpb/kv.proto` of its
// sources) that the engine uses, with the fields that it uses.

type Field = { readonly type: string; readonly id: number; readonly rule?: 'repeated' }

const HEADER: Field = { type: 'ResponseHeader', id: 1 }

type Fields = Readonly<Record<string, string>>

/** Types by the names of the fields, whose numbers are counted from 1; `[]` behind a type: repeated. */
function message(types: Fields) {
  const fields = Object.entries(types).map(([name, type], at): [string, Field] => {
    const [, one = type, many] = /^(.*?)(\[\])?$/.exec(type) ?? []
    return [name, { type: one, id: at + 1, ...(many === undefined ? {} : { rule: 'repeated' }) }]
  })
  return { fields: Object.fromEntries(fields) }
}

/** One of the fields is set. */
function choice(name: string, types: Fields) {
  return { oneofs: { [name]: { oneof: Object.keys(types) } }, ...message(types) }
}

const ETCDSERVERPB = {
  ResponseHeader: {
    fields: { revision: { type: 'int64', id: 3 } },
  },
  RangeRequest: message({
    ...{ key: 'bytes', rangeEnd: 'bytes', limit: 'int64', revision: 'int64' },
    sortOrder: 'SortOrder',
  }),
  SortOrder: { values: { NONE: 0, ASCEND: 1, DESCEND: 2 } },
  RangeResponse: {
    fields: {
      header: HEADER,
      kvs: { rule: 'repeated', type: 'mvccpb.KeyValue', id: 2 },
      more: { type: 'bool', id: 3 },
    },
  },
  PutRequest: message({ key: 'bytes', value: 'bytes' }),
  PutResponse: { fields: { header: HEADER } },
  DeleteRangeRequest: message({ key: 'bytes', rangeEnd: 'bytes' }),
  DeleteRangeResponse: { fields: { header: HEADER } },
  RequestOp: choice('request', {
    requestRange: 'RangeRequest',
    requestPut: 'PutRequest',
    requestDeleteRange: 'DeleteRangeRequest',
  }),
  ResponseOp: choice('response', {
    responseRange: 'RangeResponse',
    responsePut: 'PutResponse',
    responseDeleteRange: 'DeleteRangeResponse',
  }),
  Compare: {
    fields: {
      result: { type: 'CompareResult', id: 1 },
      target: { type: 'CompareTarget', id: 2 },
      key: { type: 'bytes', id: 3 },
      modRevision: { type: 'int64', id: 6 },
    },
  },
  CompareResult: { values: { EQUAL: 0 } },
  CompareTarget: { values: { VERSION: 0, CREATE: 1, MOD: 2 } },
  TxnRequest: message({ compare: 'Compare[]', success: 'RequestOp[]', failure: 'RequestOp[]' }),
  TxnResponse: {
    fields: {
      header: HEADER,
      succeeded: { type: 'bool', id: 2 },
      responses: { rule: 'repeated', type: 'ResponseOp', id: 3 },
    },
  },
  CompactionRequest: message({ revision: 'int64' }),
  CompactionResponse: { fields: { header: HEADER } },
  AuthenticateRequest: message({ name: 'string', password: 'string' }),
  AuthenticateResponse: { fields: { header: HEADER, token: { type: 'string', id: 2 } } },
  KV: {
    methods: {
      Range: { requestType: 'RangeRequest', responseType: 'RangeResponse' },
      Txn: { requestType: 'TxnRequest', responseType: 'TxnResponse' },
      Compact: { requestType: 'CompactionRequest', responseType: 'CompactionResponse' },
    },
  },
  Auth: {
    methods: {
      Authenticate: { requestType: 'AuthenticateRequest', responseType: 'AuthenticateResponse' },
    },
  },
}

const MVCCPB = {
  KeyValue: {
    fields: {
      key: { type: 'bytes', id: 1 },
      modRevision: { type: 'int64', id: 3 },
      value: { type: 'bytes', id: 5 },
    },
  },
}

export const SERVICES = ['etcdserverpb.KV', 'etcdserverpb.Auth']
export const DESCRIPTORS = {
  nested: { etcdserverpb: { nested: ETCDSERVERPB }, mvccpb: { nested: MVCCPB } },
}
