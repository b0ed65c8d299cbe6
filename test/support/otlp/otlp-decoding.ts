import { join } from 'node:path';
import { loadSync } from '@grpc/proto-loader';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface ReceivedSpan {
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  /** 2 is an error. */
  readonly status: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
}

export interface ReceivedPoint {
  readonly resource: Attributes;
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly attributes: Attributes;
  /** The count, of a histogram. */
  readonly value: number;
}

/** A message in protobuf or JSON, with members in the names of JSON. */
type Message = Readonly<Record<string, unknown>>;

const receiver = loadSync(join(import.meta.dirname, 'otlp.proto'), {
  keepCase: false,
  longs: String,
  bytes: Buffer,
})['otlp.Receiver'];

/** Decodes the body of a request to `/v1/traces` or `/v1/metrics`. */
export function decodeOtlp(signal: 'Traces' | 'Metrics', isJson: boolean, body: Buffer): Message {
  if (isJson) return messageOf(JSON.parse(body.toString()));
  if (receiver === undefined || !(signal in receiver)) throw new Error('otlp.proto has no service');
  const methods = receiver as Readonly<
    Record<string, { readonly requestDeserialize: (bytes: Buffer) => object }>
  >;
  return messageOf(methods[signal]?.requestDeserialize(body));
}

export function spansIn(body: Message): ReceivedSpan[] {
  return listOf(body, 'resourceSpans').flatMap((one) => {
    const resource = attributesOf(messageOf(one['resource']));
    const spans = listOf(one, 'scopeSpans').flatMap((scope) => listOf(scope, 'spans'));
    return spans.map((span) => ({
      resource,
      traceId: hexOf(span['traceId']),
      spanId: hexOf(span['spanId']),
      parentSpanId: hexOf(span['parentSpanId']),
      name: String(span['name']),
      kind: Number(span['kind']),
      attributes: attributesOf(span),
      status: Number(messageOf(span['status'])['code'] ?? 0),
      startNanos: BigInt(String(span['startTimeUnixNano'])),
      endNanos: BigInt(String(span['endTimeUnixNano'])),
    }));
  });
}

export function pointsIn(body: Message): ReceivedPoint[] {
  return listOf(body, 'resourceMetrics').flatMap((one) => {
    const resource = attributesOf(messageOf(one['resource']));
    const metrics = listOf(one, 'scopeMetrics').flatMap((scope) => listOf(scope, 'metrics'));
    return metrics.flatMap((metric) =>
      (['gauge', 'sum', 'histogram'] as const).flatMap((kind) =>
        listOf(messageOf(metric[kind]), 'dataPoints').map((point) => ({
          resource,
          name: String(metric['name']),
          unit: String(metric['unit']),
          kind,
          attributes: attributesOf(point),
          value: Number(point['count'] ?? point['asDouble'] ?? point['asInt'] ?? Number.NaN),
        })),
      ),
    );
  });
}

function attributesOf(message: Message): Attributes {
  return Object.fromEntries(
    listOf(message, 'attributes').map(({ key, value: given }) => {
      const value = messageOf(given);
      const { stringValue, boolValue, intValue, doubleValue } = value;
      if (typeof stringValue === 'string') return [String(key), stringValue];
      if (typeof boolValue === 'boolean') return [String(key), boolValue];
      return [String(key), Number(intValue ?? doubleValue)];
    }),
  );
}

function hexOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('hex') : typeof value === 'string' ? value : '';
}

function listOf(message: Message, member: string): Message[] {
  const list = message[member];
  return Array.isArray(list) ? list.map(messageOf) : [];
}

function messageOf(value: unknown): Message {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
