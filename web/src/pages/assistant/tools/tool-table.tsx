import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import { Pencil, Trash2 } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { TOOLS_KEY } from './tool-queries.ts';

interface ToolTableProps {
  readonly tools: readonly ToolDefinition[];
  readonly onEdit: (tool: ToolDefinition) => void;
  readonly onDelete: (tool: ToolDefinition) => void;
}

export function ToolTable({ tools, onEdit, onDelete }: ToolTableProps) {
  const { isAllowed } = useChangePermission();
  const columns: readonly Column<ToolDefinition>[] = [
    { title: 'Tool', cell: (tool) => <NameCell tool={tool} /> },
    { title: 'Endpoint', cell: (tool) => <EndpointCell tool={tool} /> },
    {
      title: 'Offered to',
      isMinor: true,
      cell: ({ access }) => (access === 'admins' ? 'Administrators' : 'Users'),
    },
    { title: 'State', cell: (tool) => <StateCell tool={tool} isAllowed={isAllowed} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (tool) => (
        <span className="flex justify-end">
          <IconButton
            icon={Pencil}
            size="small"
            label={`Change ${tool.name}`}
            disabled={!isAllowed}
            onClick={() => onEdit(tool)}
          />
          <IconButton
            icon={Trash2}
            size="small"
            label={`Delete ${tool.name}`}
            disabled={!isAllowed}
            onClick={() => onDelete(tool)}
          />
        </span>
      ),
    },
  ];
  return <DataTable label="Tools" columns={columns} rows={tools} keyOf={({ UID }) => UID} />;
}

function NameCell({ tool: { name, description } }: { readonly tool: ToolDefinition }) {
  return (
    <div className="min-w-40">
      <span className="font-mono text-[13px] font-medium">{name}</span>
      <bdi className="line-clamp-2 max-w-prose text-[13px] text-muted wrap-anywhere">
        {description}
      </bdi>
    </div>
  );
}

function EndpointCell({ tool: { endpoint, isReadOnly } }: { readonly tool: ToolDefinition }) {
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Link
        to="/endpoints/edit/$"
        params={{ _splat: endpoint }}
        className="font-mono text-[13px] text-accent hover:underline"
      >
        {endpoint}
      </Link>
      {isReadOnly === false && <Badge tone="warning">Writes</Badge>}
    </span>
  );
}

/** Why nobody is offered a tool, in words. */
const PROBLEMS: Readonly<Record<NonNullable<ToolDefinition['problem']>, string>> = {
  endpoint_not_found: 'Offered to nobody: there is no such endpoint any more.',
  endpoint_not_compiled: 'Offered to nobody: the endpoint does not compile.',
  endpoint_tool_off: 'Offered to nobody: the code of the endpoint says “tool off”.',
};

interface StateCellProps {
  readonly tool: ToolDefinition;
  readonly isAllowed: boolean;
}

function StateCell({ tool: { name, enabled, problem }, isAllowed }: StateCellProps) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (next: boolean) => client.tools.put(name, { enabled: next }),
    onSuccess: (saved) => {
      toastDone(saved.enabled ? 'The tool is offered' : 'The tool is not offered any more', name);
      return queries.invalidateQueries({ queryKey: TOOLS_KEY });
    },
    onError: (error) => toastError('The tool was not changed', error),
  });
  return (
    <div className="flex flex-col items-start gap-1">
      <Switch
        label="Offered"
        name={`Offered: ${name}`}
        isOn={enabled}
        isDisabled={!isAllowed || change.isPending}
        onChange={change.mutate}
      />
      {problem !== null && <p className="text-[13px] text-danger">{PROBLEMS[problem]}</p>}
    </div>
  );
}
