import type { Histogram, Meter, ObservableResult, UpDownCounter } from '@opentelemetry/api';
import { metrics, type MetricName, type RecordedMetric } from './metric-catalogue.ts';
import type { Telemetry } from './telemetry.ts';

/** Seconds; those that the semantic conventions advise for HTTP, and smaller ones, as a small call takes a millisecond. */
const DURATION_BOUNDARIES = [
  0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5,
  10, 60,
];

/** The metrics of the catalogue, as OpenTelemetry has them. */
export class Instruments {
  readonly #meter: Meter;
  readonly #recorded: Readonly<Record<RecordedMetric, Histogram | UpDownCounter>>;

  constructor(meter: Meter) {
    this.#meter = meter;
    const counter = (name: RecordedMetric) => meter.createUpDownCounter(name, optionsOf(name));
    const histogram = (name: RecordedMetric) =>
      meter.createHistogram(name, {
        ...optionsOf(name),
        advice: { explicitBucketBoundaries: DURATION_BOUNDARIES },
      });
    this.#recorded = {
      'http.server.request.duration': histogram('http.server.request.duration'),
      'http.server.active_requests': counter('http.server.active_requests'),
      'http.client.request.duration': histogram('http.client.request.duration'),
      'trellis.endpoint.duration': histogram('trellis.endpoint.duration'),
      'trellis.commit.duration': histogram('trellis.commit.duration'),
    };
  }

  readonly record: Telemetry['record'] = (metric, value, attributes = {}) => {
    const instrument = this.#recorded[metric];
    if ('record' in instrument) instrument.record(value, { ...attributes });
    else instrument.add(value, { ...attributes });
  };

  readonly read: Telemetry['read'] = (metric, read) => {
    const options = optionsOf(metric);
    const observable =
      metrics[metric].kind === 'counter'
        ? this.#meter.createObservableCounter(metric, options)
        : this.#meter.createObservableGauge(metric, options);
    observable.addCallback(async (result: ObservableResult) => {
      for (const { value, attributes = {} } of await read()) {
        result.observe(value, { ...attributes });
      }
    });
  };
}

function optionsOf(name: MetricName) {
  const { unit, description } = metrics[name];
  return { unit, description };
}
