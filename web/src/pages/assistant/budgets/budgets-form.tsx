import { useQueryClient } from '@tanstack/react-query';
import {
  LLM_BUDGET_MONEY_MAX,
  LLM_BUDGET_TOKENS_MAX,
  LLM_BUDGETS_MAX,
  LLM_PRICE_MAX,
  LLM_PRICES_MAX,
} from '@trellis/contract/limits.ts';
import type { LlmBudgets } from '@trellis/contract/shapes/llm-budget.ts';
import { Plus, Trash2 } from 'lucide-react';
import { Controller, useFieldArray, useForm, useFormContext } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { PrincipalsField } from '../../../ui/principals-field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { type BudgetsValues, changeOf, newBudget, newPrice, valuesOf } from './budget-values.ts';
import { budgetsQuery } from './budgets-query.ts';

/** Prices and limits, which are saved together: a limit in money needs prices. */
export function BudgetsForm({ budgets }: { readonly budgets: LlmBudgets }) {
  const queries = useQueryClient();
  const permission = useChangePermission();
  const form = useForm<BudgetsValues>({ defaultValues: valuesOf(budgets) });
  const { errors, isDirty, isSubmitting } = form.formState;
  const save = async (values: BudgetsValues) => {
    const saved = await client.llm.putBudgets(changeOf(values));
    form.reset(valuesOf(saved));
    queries.setQueryData(budgetsQuery.queryKey, saved);
    toastDone('The budgets are saved');
  };
  return (
    <Card title="Limits and prices">
      <PermissionNotice permission={permission} />
      <ServerForm
        form={form}
        onSend={save}
        label="Limits and prices"
        isDisabled={!permission.isAllowed}
        className="max-w-3xl"
      >
        <Limits isDisabled={!permission.isAllowed} />
        <Prices />
        <TextField
          label="Currency"
          hint="Of prices and of limits: three letters, such as EUR."
          autoComplete="off"
          maxLength={3}
          error={errors.currency?.message}
          {...form.register('currency', {
            validate: (text) => /^[A-Z]{3}$/.test(text) || 'Enter three capital letters.',
          })}
        />
        <div className="flex justify-end">
          <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
            Save the budgets
          </Button>
        </div>
      </ServerForm>
    </Card>
  );
}

function Limits({ isDisabled }: { readonly isDisabled: boolean }) {
  const { control } = useFormContext<BudgetsValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'budgets' });
  return (
    <>
      {fields.map(({ id }, at) => (
        <LimitFields key={id} at={at} isDisabled={isDisabled} onRemove={() => remove(at)} />
      ))}
      <div>
        <Button
          icon={Plus}
          disabled={fields.length >= LLM_BUDGETS_MAX}
          onClick={() => append(newBudget())}
        >
          Add a budget
        </Button>
      </div>
    </>
  );
}

interface LimitFieldsProps {
  readonly at: number;
  readonly isDisabled: boolean;
  readonly onRemove: () => void;
}

function LimitFields({ at, isDisabled, onRemove }: LimitFieldsProps) {
  const { register, control, formState, getValues } = useFormContext<BudgetsValues>();
  const errors = formState.errors.budgets?.[at];
  const path = `budgets.${at}` as const;
  const number = at + 1;
  return (
    <fieldset className="flex flex-col gap-3 rounded-card border p-4">
      <legend className="px-1 font-medium">{`Budget ${number}`}</legend>
      <Controller
        control={control}
        name={`${path}.team`}
        render={({ field, fieldState }) => (
          <PrincipalsField
            label="Team"
            hint="Leave it empty for the whole workspace."
            kind="team"
            isSingle
            isDisabled={isDisabled}
            value={field.value}
            onChange={field.onChange}
            error={fieldState.error?.message}
          />
        )}
      />
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField
          label="Tokens a month"
          hint="Leave it empty for no limit."
          inputMode="numeric"
          error={errors?.tokens?.message}
          {...register(`${path}.tokens`, {
            validate: (text) => {
              if (text.trim() === '' && getValues(`${path}.money`).trim() === '') {
                return 'Enter tokens or money.';
              }
              return text.trim() === '' || isUpTo(text, LLM_BUDGET_TOKENS_MAX, true);
            },
          })}
        />
        <TextField
          label="Money a month"
          hint="Leave it empty for no limit."
          inputMode="decimal"
          error={errors?.money?.message}
          {...register(`${path}.money`, {
            validate: (text) => text.trim() === '' || isUpTo(text, LLM_BUDGET_MONEY_MAX),
          })}
        />
        <TextField
          label="Warn from, in percent"
          hint="Of tokens and of money."
          inputMode="numeric"
          error={errors?.softPercent?.message}
          {...register(`${path}.softPercent`, {
            validate: (text) =>
              (isUpTo(text, PERCENT_MAX, true) && Number(text) >= 1) || 'Enter 1 to 100.',
          })}
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CheckboxField
          label="Refuse requests that do not fit"
          hint="Otherwise the budget only warns."
          {...register(`${path}.isHard`)}
        />
        <IconButton icon={Trash2} label={`Remove budget ${number}`} onClick={onRemove} />
      </div>
    </fieldset>
  );
}

function Prices() {
  const { register, control, formState } = useFormContext<BudgetsValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'prices' });
  const price = { validate: (text: string) => isUpTo(text, LLM_PRICE_MAX) };
  return (
    <fieldset className="flex flex-col gap-3 rounded-card border p-4">
      <legend className="px-1 font-medium">Prices of a million tokens</legend>
      <p className="text-[13px] text-muted">
        “*” is the price of all models without one of their own. Where money limits, a model without
        a price is refused.
      </p>
      {fields.map(({ id }, at) => {
        const errors = formState.errors.prices?.[at];
        return (
          <div key={id} className="grid items-end gap-3 sm:grid-cols-[2fr_1fr_1fr_auto]">
            <TextField
              label="Model"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={errors?.model?.message}
              {...register(`prices.${at}.model`, { required: 'Enter a model.' })}
            />
            <TextField
              label="Input"
              inputMode="decimal"
              error={errors?.inputPerMillion?.message}
              {...register(`prices.${at}.inputPerMillion`, price)}
            />
            <TextField
              label="Output"
              inputMode="decimal"
              error={errors?.outputPerMillion?.message}
              {...register(`prices.${at}.outputPerMillion`, price)}
            />
            <IconButton icon={Trash2} label={`Remove price ${at + 1}`} onClick={() => remove(at)} />
          </div>
        );
      })}
      <div>
        <Button
          icon={Plus}
          disabled={fields.length >= LLM_PRICES_MAX}
          onClick={() => append(newPrice())}
        >
          Add a price
        </Button>
      </div>
    </fieldset>
  );
}

const PERCENT_MAX = 100;

function isUpTo(text: string, max: number, isWhole = false): true | string {
  const value = Number(text);
  const isNumber =
    text.trim() !== '' && (isWhole ? Number.isInteger(value) : Number.isFinite(value));
  if (isNumber && value >= 0 && value <= max) return true;
  return `Enter a ${isWhole ? 'whole number' : 'number'} from 0 to ${formatCount(max)}.`;
}
