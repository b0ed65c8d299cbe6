import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LlmBudget } from '@trellis/contract/shapes/llm.ts';
import { useEffect } from 'react';
import { ownBudgetQuery, ownerOf } from '../../../api/own-budget.ts';
import { formatCount } from '../../../ui/format.ts';

/** What is left to the viewer of models; read again after each answer. */
export function BudgetLeft({ isBusy }: { readonly isBusy: boolean }) {
  const queries = useQueryClient();
  const { data: budget } = useQuery(ownBudgetQuery);
  useEffect(() => {
    if (!isBusy) void queries.invalidateQueries({ queryKey: ownBudgetQuery.queryKey });
  }, [queries, isBusy]);
  const left = budget === undefined ? [] : leftOf(budget);
  if (left.length === 0) return null;
  return (
    <p className="mt-1 text-[13px] text-muted">
      <Link to="/preferences" className="hover:underline">
        {left.join(' · ')}
      </Link>
    </p>
  );
}

function leftOf(budget: LlmBudget): readonly string[] {
  const { tokensLeft, months, workspaceMonth, currency } = budget;
  const ofMonths = months.flatMap((month) => {
    const { tokensLeft: tokens, moneyLeft: money } = month;
    const whose = ownerOf(month);
    return [
      ...(tokens === null ? [] : [`${whose}: ${formatCount(tokens)} tokens left this month`]),
      ...(money === null ? [] : [`${whose}: ${formatCount(money)} ${currency} left this month`]),
    ];
  });
  return [
    ...(tokensLeft === null ? [] : [`${formatCount(tokensLeft)} tokens left today`]),
    ...ofMonths,
    ...(workspaceMonth === 'spent' ? ['The workspace has used its budget of this month'] : []),
  ];
}
