import { Choice, type ChoiceProps } from './choice.tsx'

/** A select of a form below its label. */
export const Select = <T extends string>(props: Required<ChoiceProps<T>>) => (
  <label className="block">
    <span className="mb-1.5 block text-small font-medium">{props.label}</span>
    <Choice {...props} className="h-[38px] w-full" />
  </label>
)
