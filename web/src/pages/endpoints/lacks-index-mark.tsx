import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { EndpointMetrics } from '@trellis/contract/shapes/stats.ts';
import { Badge } from '../../ui/badge.tsx';
import { schemaQuery } from '../content/schema.ts';
import { withIndexes } from './field-scans.ts';

/** Leads to the page of an endpoint whose queries read many nodes for want of an index. */
export function LacksIndexMark({ metrics }: { readonly metrics: EndpointMetrics | undefined }) {
  return metrics === undefined || metrics.scans.length === 0 ? null : <Mark {...metrics} />;
}

function Mark({ name, scans }: EndpointMetrics) {
  const { data: schema } = useQuery(schemaQuery);
  const lacks = schema && withIndexes(schema, scans).some(({ index }) => index === undefined);
  if (lacks !== true) return null;
  return (
    <Link
      to="/endpoints/edit/$"
      params={{ _splat: name }}
      aria-label={`Lacks an index: ${name}`}
      className="inline-flex rounded-full hover:underline"
    >
      <Badge tone="warning">Lacks an index</Badge>
    </Link>
  );
}
