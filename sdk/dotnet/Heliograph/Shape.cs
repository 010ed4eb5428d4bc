using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Heliograph
{
    /// <summary>An object of the API: JSON, seen through properties. What is not set is left out; what is set to null is null.</summary>
    public abstract class Shape
    {
        private readonly IDictionary<string, object?> _fields;

        private protected Shape() => _fields = new Dictionary<string, object?>();

        private protected Shape(IDictionary<string, object?> fields) => _fields = fields;

        /// <summary>All that it has, also what this version of the library does not know.</summary>
        public IReadOnlyDictionary<string, object?> Fields => (IReadOnlyDictionary<string, object?>)_fields;

        public override string ToString() => GetType().Name + " " + Encoding.UTF8.GetString(Json.Write(this));

        private protected void Put(string name, object? value) => _fields[name] = value;

        private protected object? ReadAnyOrNull(string name) => _fields.TryGetValue(name, out object? value) ? value : null;

        private protected object ReadAny(string name) => ReadAnyOrNull(name) ?? throw new InvalidOperationException(name + " is missing");

        private protected string? ReadTextOrNull(string name) => (string?)ReadAnyOrNull(name);

        private protected string ReadText(string name) => (string)ReadAny(name);

        private protected long? ReadIntegerOrNull(string name) => ReadAnyOrNull(name) is object value ? Convert.ToInt64(value) : (long?)null;

        private protected long ReadInteger(string name) => Convert.ToInt64(ReadAny(name));

        private protected double? ReadNumberOrNull(string name) => ReadAnyOrNull(name) is object value ? Convert.ToDouble(value) : (double?)null;

        private protected double ReadNumber(string name) => Convert.ToDouble(ReadAny(name));

        private protected bool? ReadFlagOrNull(string name) => (bool?)ReadAnyOrNull(name);

        private protected bool ReadFlag(string name) => (bool)ReadAny(name);

        private protected IReadOnlyDictionary<string, object?>? ReadMapOrNull(string name) => (IReadOnlyDictionary<string, object?>?)ReadAnyOrNull(name);

        private protected IReadOnlyDictionary<string, object?> ReadMap(string name) => (IReadOnlyDictionary<string, object?>)ReadAny(name);

        private protected T? ReadObjectOrNull<T>(string name, Func<IDictionary<string, object?>, T> make)
            where T : Shape => ReadAnyOrNull(name) switch
            {
                null => null,
                T shape => shape,
                object fields => make((IDictionary<string, object?>)fields),
            };

        private protected T ReadObject<T>(string name, Func<IDictionary<string, object?>, T> make)
            where T : Shape => ReadObjectOrNull(name, make) ?? throw new InvalidOperationException(name + " is missing");

        private protected IReadOnlyList<T>? ReadListOrNull<T>(string name) => ReadAnyOrNull(name) switch
        {
            null => null,
            IReadOnlyList<T> list => list,
            object items => ((IEnumerable<object?>)items).Cast<T>().ToList(),
        };

        private protected IReadOnlyList<T> ReadList<T>(string name) => ReadListOrNull<T>(name) ?? throw new InvalidOperationException(name + " is missing");

        private protected IReadOnlyList<T>? ReadListOrNull<T>(string name, Func<IDictionary<string, object?>, T> make) => ReadAnyOrNull(name) switch
        {
            null => null,
            IReadOnlyList<T> list => list,
            object items => ((IEnumerable<object?>)items).Select(item => make((IDictionary<string, object?>)item!)).ToList(),
        };

        private protected IReadOnlyList<T> ReadList<T>(string name, Func<IDictionary<string, object?>, T> make) =>
            ReadListOrNull(name, make) ?? throw new InvalidOperationException(name + " is missing");
    }
}
